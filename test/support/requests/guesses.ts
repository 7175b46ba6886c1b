import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { guesserOf } from "../../../shared/accounts/requester.ts";
import { findGuesses, loginGuessesKey } from "../../../shared/db/accounts/guesses.ts";
import type { LoginGuesses } from "../../../shared/domain/guessing/login-guesses.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "../records/document-client.ts";

const nobody = { address: "192.0.2.1", isKnown: false };

/** What is counted at a login. */
export async function guessesAt(login: string): Promise<LoginGuesses> {
  return (await findGuesses(await guesserOf(login, nobody), { consistent: true })).login.value;
}

/** A hundred wrong pins in a row at a login, without the days they take. */
export async function closePinFlow(login: string): Promise<void> {
  const { loginHash } = await guesserOf(login, nobody);
  await documentClient().send(
    new UpdateCommand({
      TableName: settings.tableName(),
      Key: loginGuessesKey(loginHash),
      UpdateExpression: "SET pin_streak = :closed ADD revision :one",
      ExpressionAttributeValues: { ":closed": 100, ":one": 1 },
    }),
  );
}
