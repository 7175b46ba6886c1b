import { countPassword, keepFailure, passwordLimits } from "../../../functions/sessions/sign-in.ts";
import { clientOf, findCount, type LimitSubject, limitSubjectOf, windowOf } from "../../../shared/people/limits.ts";
import { updateIf } from "../../../shared/table/writes.ts";

/** Counts wrong passwords of one client at a login: the first as a sign-in does, the others at once. */
export async function failPasswords(login: string, times: number, address = "192.0.2.1"): Promise<void> {
  const now = new Date();
  const counted = await countPassword({ login, address, proof: undefined }, now);
  await keepFailure(counted, now);
  const { key, client = "" } = counted.taken;
  await updateIf(key, { add: { n: times - 1, [client]: times - 1 } });
  await countMore(await failuresBy(address), times - 1, now);
}

/** Counts so many more attempts at once. */
export async function countMore({ rule, subject }: LimitSubject, times: number, now = new Date()): Promise<void> {
  await updateIf({ pk: `LIMIT#${rule.name}#${subject}`, sk: windowOf(rule, now).start }, { add: { n: times } });
}

/** Uses up the passwords of a login for all clients without a proof: 20 each from three addresses. */
export async function shutLogin(login: string): Promise<void> {
  for (const host of [1, 2, 3]) await failPasswords(login, 20, `192.0.2.${host}`);
}

/** The passwords that are counted at a login today. */
export async function passwordsAt(login: string): Promise<number> {
  return findCount(await limitSubjectOf(passwordLimits.ofLogin, login), new Date(), { consistent: true });
}

/** The wrong passwords that are counted of a client today. */
export async function failuresOf(address: string): Promise<number> {
  return findCount(await failuresBy(address), new Date(), { consistent: true });
}

async function failuresBy(address: string): Promise<LimitSubject> {
  return limitSubjectOf(passwordLimits.failures, clientOf(address));
}
