import * as v from "valibot";

/** Characters that nobody sees: format characters, variation selectors, fillers. */
export const invisible = /[\p{Cf}\p{DI}]/gu;
/** The last four look like dashes, and Unicode calls them symbols, punctuation or a modifier. */
const dashes = /[\p{Pd}\u2212\u2796\u2043\u02d7]/gu;
/** An empty Braille cell looks like a blank as well. */
const blanks = /[\p{White_Space}\u2800]/gu;

/**
 * Text as a person types it, or copies it from a message, a chat or an autofill field: trimmed, without invisible characters, in
 * NFKC, with digits of any script as 0 to 9, any dash as `-` and any blank as a space (D7, D9, D19, D22).
 */
export function typedText(typed: string): string {
  const composed = typed.replaceAll(invisible, "").normalize("NFKC");
  return composed
    .replaceAll(dashes, "-")
    .replaceAll(blanks, " ")
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf)
    .trim();
}

/** A secret of digits, typed: dashes, blanks and brackets do not count, nor does punctuation around it (D9, D19). */
export const typedDigits = v.pipe(
  v.string(),
  v.maxLength(320),
  // The document's form of a secret that is typed; no pattern could state it.
  v.metadata({ format: "password" }),
  v.transform((typed) => {
    const joined = typedText(typed).replaceAll(/[- \p{Ps}\p{Pe}]/gu, "");
    return joined.replaceAll(/^\p{P}+|\p{P}+$/gu, "");
  }),
);

/** Unicode has the digits of a script in a row from zero on, and some rows side by side. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((point - first) % 10);
}
