import { randomInt } from "node:crypto";
import { openJsonFile } from "../../support/json-file.ts";
import { AwsError } from "./aws-error.ts";

interface Input {
  SecretId?: string;
  SecretString?: string;
}

/** The two JSON actions of Secrets Manager that functions call, on the secrets of the stack. */
export interface SecretStore {
  perform(action: string, input: Input): unknown;
  /** Stores a first value if the secret has none. */
  ensure(name: string, makeValue: () => string): void;
}

/** Opens the secrets, kept in a file of mode 0600 or in memory. */
export function openSecrets(path?: string): SecretStore {
  const file = openJsonFile<Record<string, string>>(path, {});
  const secrets = file.value;

  const put = (name: string, value: string) => {
    secrets[name] = value;
    file.save();
  };
  return {
    perform(action, { SecretId = "", SecretString = "" }) {
      if (!["GetSecretValue", "PutSecretValue"].includes(action)) {
        throw new AwsError("UnknownOperationException", `The local machine does not know "${action}".`);
      }
      const name = /:secret:(.+)-\w{6}$/.exec(SecretId)?.[1] ?? SecretId;
      if (secrets[name] === undefined) {
        throw new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
      }
      if (action === "GetSecretValue") return { SecretString: secrets[name] };
      put(name, SecretString);
      return {};
    },
    ensure(name, makeValue) {
      if (secrets[name] === undefined) put(name, makeValue());
    },
  };
}

/** The ARN of a local secret. It has a fixed suffix instead of the six random characters of AWS. */
export function secretArn(name: string, region: string): string {
  return `arn:aws:secretsmanager:${region}:000000000000:secret:${name}-local0`;
}

/** The stack's rules for a secret's first value: the parts of `GenerateSecretString` that the stack has. */
export interface SecretGeneration {
  PasswordLength?: number;
  SecretStringTemplate: string;
  GenerateStringKey: string;
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A random first value of digits and letters, made the way Secrets Manager makes it for the stack. */
export function generateSecret(how: SecretGeneration): string {
  const pick = () => alphabet[randomInt(alphabet.length)] ?? "";
  const password = Array.from({ length: how.PasswordLength ?? 32 }, pick).join("");
  return JSON.stringify({ ...JSON.parse(how.SecretStringTemplate), [how.GenerateStringKey]: password });
}
