import fc from "fast-check";

// The same cases in every run of `npm test`; `npm run check:fresh` adds a seed that no run has had, and prints it.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

const surrogates = { first: 0xd800, count: 0x800 };
const character = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count),
  (text) => {
    const [one = "", ...others] = String(text);
    const point = one.codePointAt(0);
    if (point === undefined || others.length > 0) throw new Error("This is no character");
    return point < surrogates.first ? point : point - surrogates.count;
  },
);

/** Any text of whole characters. For its own unit of any character fast-check lists them all, which takes a second a file. */
export function anyText(limits: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ unit: character, ...limits });
}

export { fc };
