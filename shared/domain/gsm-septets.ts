// 3GPP TS 23.038, 6.2.1: the default alphabet, and what its extension table adds.
const basic =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extension = "\f^{}\\[~]|€";

const septetsByCharacter = new Map<string, number>([
  ...[...basic].map((each) => [each, 1] as const),
  ...[...extension].map((each) => [each, 2] as const),
]);

/** Septets of a text in an SMS, of which one part has 160; Infinity where it has a character that the GSM alphabet lacks. */
export function gsmSeptetsOf(text: string): number {
  return [...text].reduce((sum, each) => sum + (septetsByCharacter.get(each) ?? Number.POSITIVE_INFINITY), 0);
}
