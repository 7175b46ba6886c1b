import { styleText } from "node:util";

/** How text for people looks: with colours on a terminal that has them, else as it is. */
export type Style = (look: Parameters<typeof styleText>[0], text: string) => string;

/** The style of what a stream shows. */
export function styleOf(stream: { isTTY?: boolean; hasColors?(): boolean }): Style {
  if (!stream.isTTY || !stream.hasColors?.()) return (_, text) => text;
  return (look, text) => styleText(look, text, { validateStream: false });
}

/**
 * Text of strangers as a terminal may show it: nothing in it moves the cursor, changes colours or turns the reading direction;
 * lines and tabs stay.
 */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
