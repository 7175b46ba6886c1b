import { randomInt } from "node:crypto";

/** The stack's rules for a secret's first value (`GenerateSecretString`). */
export interface SecretGeneration {
  PasswordLength?: number;
  ExcludeCharacters?: string;
  ExcludePunctuation?: boolean;
  ExcludeLowercase?: boolean;
  ExcludeUppercase?: boolean;
  SecretStringTemplate?: string;
  GenerateStringKey?: string;
}

/** A random first value, made the way Secrets Manager makes it for the stack. */
export function generateSecret(how: SecretGeneration): string {
  const punctuation = how.ExcludePunctuation ? "" : "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  const excluded = how.ExcludeCharacters ?? "";
  const lower = how.ExcludeLowercase ? "" : "abcdefghijklmnopqrstuvwxyz";
  const upper = how.ExcludeUppercase ? "" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const alphabet = [...`${lower}${upper}0123456789${punctuation}`].filter((character) => !excluded.includes(character));
  const pick = () => alphabet[randomInt(alphabet.length)] ?? "";
  const password = Array.from({ length: how.PasswordLength ?? 32 }, pick).join("");
  if (!how.GenerateStringKey) return password;
  return JSON.stringify({ ...JSON.parse(how.SecretStringTemplate ?? "{}"), [how.GenerateStringKey]: password });
}
