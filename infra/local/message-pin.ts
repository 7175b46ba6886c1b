import { pinDigits } from "../../shared/contract/accounts.ts";

/** The form of a pin in a message: a long one is in groups. */
export const pinForm = new RegExp(`\\b([0-9]{4} [0-9]{4} [0-9]{4}|[0-9]{${pinDigits}})\\b`);

/** The pin in the text of a message; undefined if it contains none. */
export function pinIn(text: string | null | undefined): string | undefined {
  return pinForm.exec(text ?? "")?.[0].replaceAll(" ", "");
}
