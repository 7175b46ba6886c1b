/** Makes texts that match a pattern of digits, `\d`, classes, groups, alternatives and `?`, `{n}`, `{n,m}`; the same for a seed. */
export class PatternSampler {
  private state: number;
  private pattern = "";
  private at = 0;

  constructor(seed: string) {
    this.state = Number(seed) + 1;
  }

  sample(pattern: string): string {
    this.pattern = pattern;
    this.at = 0;
    const sampled = this.alternatives()();
    if (!new RegExp(`^(?:${pattern})$`).test(sampled)) throw new Error(`${sampled} does not match ${pattern}`);
    return sampled;
  }

  private alternatives(): () => string {
    const choices = [this.sequence()];
    while (this.pattern[this.at] === "|") {
      this.at += 1;
      choices.push(this.sequence());
    }
    return () => this.pick(choices)();
  }

  private sequence(): () => string {
    const parts: (() => string)[] = [];
    while (this.at < this.pattern.length && !"|)".includes(this.pattern[this.at] ?? "")) parts.push(this.repeated());
    return () => parts.map((part) => part()).join("");
  }

  private repeated(): () => string {
    const atom = this.atom();
    const [text, least, most] = /^(?:\?|\{(\d+)(?:,(\d+))?\})/.exec(this.pattern.slice(this.at)) ?? [];
    if (text === undefined) return atom;
    this.at += text.length;
    const [from, to] = text === "?" ? [0, 1] : [Number(least), Number(most ?? least)];
    return () => Array.from({ length: from + this.below(to - from + 1) }, atom).join("");
  }

  private atom(): () => string {
    const rest = this.pattern.slice(this.at);
    const group = /^\((?:\?:)?/.exec(rest);
    if (group) {
      this.at += group[0].length;
      const inner = this.alternatives();
      this.at += 1;
      return inner;
    }
    const [text = ""] = /^(?:\[[^\]]+\]|\\d|\d)/.exec(rest) ?? [];
    if (!text) throw new Error(`${rest} is of no kind that is known here`);
    this.at += text.length;
    const fitting = [..."0123456789"].filter((digit) => new RegExp(text).test(digit));
    return () => this.pick(fitting);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  private below(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }
}
