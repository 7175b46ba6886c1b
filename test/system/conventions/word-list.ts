/** A word that has a standard term, and the term to use instead. The pattern is matched against lower-case text. */
export interface BannedWord {
  readonly pattern: RegExp;
  readonly use: string;
}

/** A place in which a banned word is right, and the reason. */
export interface WordException {
  /** A glob of files. */
  readonly files: string;
  /** The exact text that is allowed there; without it, every banned word is. */
  readonly text?: RegExp;
  readonly reason: string;
}

/** Identifiers are split into their words before they are matched: `sealOf` is "seal of". */
export const bannedWords: readonly BannedWord[] = [
  { pattern: /\banew\b/, use: "again, new, from scratch" },
  { pattern: /\b(un)?told\b|\btells?\b|\btelling\b/, use: "notify (users), report, say, distinguish (apart)" },
  {
    pattern: /\bset(s|ting)? \w* ?aside\b/,
    use: "quarantine (changes), reserve (concurrency), dead letters (messages)",
  },
  { pattern: /\bwork(s|ed|ing)? (\w+ ){0,2}off\b/, use: "process, consume" },
  { pattern: /\bmend(s|ed|ing)?\b/, use: "fix, repair" },
  { pattern: /\b(rings?|rang|rung)\b/, use: "fires (an alarm)" },
  { pattern: /\bwhom\b/, use: "recipients, users that, which user" },
  { pattern: /\bnonsense\b/, use: "invalid values" },
  { pattern: /\bmakes? (no|any) sense\b/, use: "is invalid" },
  { pattern: /\bby way of\b/, use: "by, with" },
  { pattern: /\b(stands?|standing) for\b/, use: "means, represents, belongs to" },
  { pattern: /\bin mind\b/, use: "stored, remembered" },
  { pattern: /\btall(y|ies|ied)\b/, use: "count, update totals" },
  { pattern: /\bsurvey(s|ed)?\b/, use: "recount, look" },
  { pattern: /\brehears(e|es|ed|al|als|ing)\b/, use: "dry run, warm up, practise" },
  { pattern: /\b(un)?seal(s|ed|ing)?\b/, use: "hash, MAC, fingerprint, encrypt" },
  { pattern: /\bclaim(s|ed|ing)?\b/, use: "lease, unique key, acquire (JWT claims excepted)" },
  {
    pattern: /\b(removal|its|own|that|a|the) marks?\b|\bmarks? (of|bytes|that)\b/,
    use: "tombstone, fingerprint, index key",
  },
  { pattern: /\brooms?\b/, use: "area (of functions), capacity" },
  { pattern: /\bgather(s|ed|ing)?\b/, use: "collect, coalesce" },
  { pattern: /\bpassing faults?\b/, use: "transient error" },
  { pattern: /\bword push\b|\bpush words\b/, use: "render push, push templates" },
  { pattern: /\bof chance\b/, use: "random" },
  { pattern: /\btrips? over\b/, use: "check" },
  { pattern: /\bstand-ins?\b/, use: "fake, emulator" },
  { pattern: /\bnought\b/, use: "zero" },
  { pattern: /\bputs? (it |them |that |what \w+ )?right\b/, use: "fix, repair" },
  { pattern: /\bmakes? up for\b/, use: "replay" },
  { pattern: /\bwhole stories\b/, use: "end-to-end tests" },
  { pattern: /\b(hold|holds|held|holding) up\b/, use: "block, delay" },
  { pattern: /\bhangs? on\b/, use: "depends on" },
  { pattern: /\blet in\b/, use: "admit, unlock" },
  { pattern: /\bunfit\b/, use: "invalid" },
  { pattern: /\blanes?\b/, use: "key, keyed queue" },
];

const jwt = "claims of a JWT (RFC 7519)";
const chat = "a chat room in a sample notification";

/** Words that are right in these places. */
export const wordExceptions: readonly WordException[] = [
  { files: "CHANGELOG.md", reason: "history, in the names of its time" },
  { files: "shared/tokens/*.ts", text: /claim/i, reason: jwt },
  { files: "shared/run/settings.ts", text: /claims/, reason: jwt },
  { files: "shared/contract/operation.ts", text: /token's claims/, reason: jwt },
  { files: "shared/contract/README.md", text: /claims/, reason: jwt },
  { files: "infra/stages/*.ts", text: /claims/, reason: jwt },
  { files: "test/tokens/oidc-issuer.test.ts", text: /claim/i, reason: jwt },
  { files: "test/{support/,}tokens/*.ts", text: /claims/i, reason: jwt },
  { files: "test/system/attacks/{jose-vectors.test,forged-tokens}.ts", text: /claim/i, reason: jwt },
  { files: "test/infra/stages/owned-stage.ts", text: /claims/, reason: jwt },
  { files: "test/tools/token.test.ts", text: /claims/, reason: jwt },
  { files: "test/infra/stages/stages.test.ts", text: /claims/, reason: jwt },
  { files: "**/*", text: /Night shift/, reason: chat },
];
