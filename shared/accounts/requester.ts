import type { Guesser } from "../db/accounts/guesses.ts";
import type { Throttle, Throttled } from "../db/accounts/throttles.ts";
import { clientOf, isLoopback, networkOf } from "../domain/accounts/client-address.ts";
import { hashSubject } from "../domain/guessing/throttle.ts";
import type { HmacKey } from "../domain/hmac-key.ts";
import { hmacKey } from "../secrets.ts";

const hour = 60;

/** Pins that a client asks for; a site of many people is one client (D11). */
const pinsOfClient: Throttle = { rule: "pins-of-client", limits: [{ most: 30, withinMinutes: hour }] };
const pinsOfNetwork: Throttle = { rule: "pins-of-network", limits: [{ most: 120, withinMinutes: hour }] };

/** Registrations send to logins that nobody has proved to be theirs (D11). */
const registrationsOfClient: Throttle = {
  rule: "registrations-of-client",
  limits: [{ most: 10, withinMinutes: hour }],
};
const registrationsOfNetwork: Throttle = {
  rule: "registrations-of-network",
  limits: [{ most: 40, withinMinutes: hour }],
};

/** Guesses from the /48 of an IPv6 address (D10). */
const guessesOfNetwork: Throttle = { rule: "guesses-of-network", limits: [{ most: 300, withinMinutes: 5 }] };

/** Who a request for a login comes from. */
export interface Requester {
  readonly address: string;
  /** True where it has proved an earlier session of the login (D10). */
  readonly isKnown: boolean;
}

/** Names a requester and a login for counting guesses, by keyed hashes. */
export async function guesserOf(login: string, { address, isKnown }: Requester): Promise<Guesser> {
  const key = await hmacKey();
  const [client, network] = [clientOf(address), networkOf(address)];
  const loginHash = hashSubject("guesses-of-login", login, key);
  return {
    isKnown,
    by: hashSubject("client-of-login", `${login}|${client}`, key).slice(0, 16),
    on: loginHash.slice(0, 16),
    loginHash,
    clientHash: hashSubject("guesses-of-client", client, key),
    network: network === undefined ? undefined : throttledBy(guessesOfNetwork, network, key),
  };
}

/** What a request for a pin counts against beside its login (D11). Clients of the machine itself are one developer. */
export async function pinRequestsOf(address: string, { registers }: { registers: boolean }): Promise<Throttled[]> {
  if (isLoopback(address)) return [];
  const key = await hmacKey();
  const network = networkOf(address);
  const [ofClient, ofNetwork] = registers
    ? [registrationsOfClient, registrationsOfNetwork]
    : [pinsOfClient, pinsOfNetwork];
  return [
    throttledBy(ofClient, clientOf(address), key),
    ...(network !== undefined ? [throttledBy(ofNetwork, network, key)] : []),
  ];
}

/** Only a keyed hash of a subject is stored. */
function throttledBy(throttle: Throttle, subject: string, key: HmacKey): Throttled {
  return { throttle, subjectHash: hashSubject(throttle.rule, subject, key) };
}
