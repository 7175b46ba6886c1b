import { styleText } from "node:util";

/** Styles text for people: with colours on a terminal that has them, else unchanged. */
export type Style = (look: Parameters<typeof styleText>[0], text: string) => string;

export function styleOf(stream: { isTTY?: boolean; hasColors?(): boolean }): Style {
  if (!stream.isTTY || !stream.hasColors?.()) return (_, text) => text;
  return (look, text) => styleText(look, text, { validateStream: false });
}

/** Makes foreign text safe for a terminal: no control characters and turns of direction but line breaks and tabs. */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The same for one line. */
export function escapeLine(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009");
}
