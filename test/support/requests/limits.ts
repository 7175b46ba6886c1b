import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { registrations } from "../../../functions/accounts/register-user.ts";
import { newKeysRule } from "../../../functions/api-keys/create-api-key.ts";
import { repeats } from "../../../functions/sessions/refresh-token.ts";
import { passwordLimits } from "../../../functions/sessions/sign-in.ts";
import { passcodeRules } from "../../../shared/people/passcodes.ts";
import { wrongPins } from "../../../shared/people/pins.ts";
import { allItems } from "../records/items.ts";
import type { Service } from "../service/service.ts";

/** Empties every limit and removes every pin, so that a test may ask as often as it needs to. */
export async function forgetLimits({ database, tableName }: Pick<Service, "database" | "tableName">): Promise<void> {
  const items = await allItems(["LIMIT#", "PIN#"], database);
  const remove = ({ pk, sk }: Record<string, unknown>) =>
    database.send(new DeleteCommand({ TableName: tableName, Key: { pk, sk } }));
  await Promise.all(items.map(remove));
}

/** Every rule that counts attempts, in the order of the flows, by its name. */
export const rules = {
  password: passwordLimits.ofLogin,
  failures: passwordLimits.failures,
  knownPassword: passwordLimits.known,
  wrongPins,
  registration: registrations,
  passcode: passcodeRules.ofDay,
  passcodesInRow: passcodeRules.inRow,
  newKeys: newKeysRule,
  repeats,
} as const;
