import * as v from "valibot";
import { text } from "./values.ts";

/** A password on its way in: 8 to 128 characters, no composition rule (D15). */
export const password = v.pipe(
  text(256),
  v.check((value) => [...value].length >= 8 && [...value].length <= 128, "must have 8 to 128 characters"),
);
