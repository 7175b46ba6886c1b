// 3GPP TS 23.038, 6.2.1: the default alphabet and its extension table.
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extension = "\f^{}\\[~]|€";

const septetsByCharacter = new Map<string, number>([
  ...[...basic].map((each) => [each, 1] as const),
  ...[...extension].map((each) => [each, 2] as const),
]);

/** Septets of a text in an SMS; one part has 160. Infinity if the GSM alphabet lacks a character. */
export function gsmSeptetsOf(text: string): number {
  return [...text].reduce((sum, each) => sum + (septetsByCharacter.get(each) ?? Number.POSITIVE_INFINITY), 0);
}
