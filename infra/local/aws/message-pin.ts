import { longPinDigits, pinDigits } from "../../../shared/contract/accounts.ts";

/** What a pin looks like in a message. */
export const pinForm = new RegExp(`\\b([0-9]{${longPinDigits}}|[0-9]{${pinDigits}})\\b`);

/** The pin in the text of a message; undefined where there is none. */
export function pinIn(text: string | null | undefined): string | undefined {
  return pinForm.exec(text ?? "")?.[0];
}
