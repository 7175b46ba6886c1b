import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login.ts";
import { handler } from "../../../functions/workers/deliver-pin.ts";
import { confirmLogin } from "../../../shared/contract/accounts.ts";
import { subjectOf } from "../../../shared/people/limits.ts";
import { findUserIdOfLogin } from "../../../shared/people/logins.ts";
import { pinKey, unusablePinHash } from "../../../shared/people/pins.ts";
import { userKey } from "../../../shared/people/users.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { changePin, forgetPinsOf, newestPin, pinMessage, storedPin } from "../../support/requests/pins.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

const service = useService();
const network = useNetwork();
const login = "ines@example.com";
const other = "marsh@example.com";
const phone = "+447400123456";
const minute = 60_000;

beforeAll(() =>
  store([
    userLine(10, { email: login }),
    userLine(11, { email: other }),
    userLine(12, { phone_number: phone }),
    userLine(13, { phone_number: "+447400123457" }),
  ]),
);
beforeEach(async () => {
  service.inbox.clear();
  await forgetLimits(service);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

type Message = ReturnType<typeof pinMessage>;

const deliver = (...messages: unknown[]) => handler(queueEvent(...messages));

function setTime(moment: string | number): void {
  vi.useFakeTimers({ now: new Date(moment), toFake: ["Date"] });
}

/** The message of a request for the same pin, a minute later. */
function nextOf(message: Message, minutes = 1): Message {
  const requestedAt = new Date(Date.parse(message.requestedAt) + minutes * minute).toISOString();
  return { ...message, requestedAt };
}

/** The number of messages of a channel that are counted on the day of the clock. */
async function counted(channel: "email" | "sms"): Promise<number> {
  const day = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
  return Number((await readItem({ pk: `LIMIT#${channel}`, sk: day }))?.n ?? 0);
}

async function isRight(pin: string, of = login): Promise<boolean> {
  return (await call(confirmHandler, confirmLogin, { query: { login: of, pin } })).status === 200;
}

describe("D12: a request", () => {
  test("that is older than its pin's end is dropped", async () => {
    setTime("2026-06-01T08:00:00.000Z");
    const message = pinMessage(login);
    setTime("2026-06-01T08:12:00.000Z");
    expect(await deliver(message)).toEqual(nothingFailed);
    expect(service.inbox.entries()).toEqual([]);
  });

  test("whose pin was replaced neither sends nor changes anything", async () => {
    const [older, newer] = [pinMessage(login), pinMessage(login)];
    await deliver(newer);
    // A message of its own that is still to be sent would be free to take.
    await changePin(login, { sent_for: new Date(0).toISOString() });
    const stored = await storedPin(login);
    await deliver(older);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await storedPin(login)).toEqual(stored);
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
  });

  test.each([
    ["reads the user", 3, "GetItem", 0],
    ["counts its message", 8, "UpdateItem", 1],
  ])("whose pin is spent while its worker %s is not sent, and stores nothing", async (_, call, command, messages) => {
    const message = pinMessage(login);
    const spent_at = new Date().toISOString();
    // The login, the pin, the user, two counts; the hold, then two counts.
    network.lose(call, "interrupted", () => changePin(login, { spent_at }));
    expect(await deliver(message)).toEqual(nothingFailed);
    expect(network.heal()).toBe(command);
    expect([service.inbox.entries(), await counted("email")]).toEqual([[], messages]);
    const { sent = 0, hmac = unusablePinHash.hmac, ...stored } = (await storedPin(login)) ?? {};
    expect({ ...stored, sent, hmac }).toMatchObject({ spent_at, sent: 0, hmac: unusablePinHash.hmac });
    expect(stored).not.toHaveProperty("held_until");
  });

  test("whose pin tries have used up meanwhile is dropped, and nothing is counted", async () => {
    const message = pinMessage(login);
    await deliver(message);
    const next = nextOf(message);
    await changePin(login, { tries: 20 });
    expect(await deliver(next)).toEqual(nothingFailed);
    expect([service.inbox.entries().length, await counted("email")]).toEqual([1, 1]);
  });

  test("D7: goes to the address that its user has stored, not to the login as it came", async () => {
    const user = await readItem(userKey(10));
    const stored = "Ines.Stored@example.com";
    await updateIf(userKey(10), { set: { record: { ...(user?.record as object), email: stored } } });
    await deliver(pinMessage(login));
    await updateIf(userKey(10), { set: { record: user?.record } });
    expect(service.inbox.entries()).toMatchObject([{ channel: "email", to: stored }]);
    expect(await isRight(newestPin(service.inbox, stored))).toBe(true);
  });

  test("D7: of a user who has no such address any more is not sent", async () => {
    const user = await readItem(userKey(10));
    await updateIf(userKey(10), { set: { record: { ...(user?.record as object), email: null } } });
    expect(await deliver(pinMessage(login))).toEqual(nothingFailed);
    await updateIf(userKey(10), { set: { record: user?.record } });
    expect(service.inbox.entries()).toEqual([]);
  });

  test("D11: queued several times is sent and counted once, together and one after the other", async () => {
    const message = pinMessage(phone);
    await deliver(message, message, message);
    setTime(Date.now() + 3 * minute);
    expect(await deliver(message)).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await counted("sms")).toBe(1);
    expect(await isRight(newestPin(service.inbox, phone), phone)).toBe(true);
  });

  test("D9: for its next message sends the same pin, and the answer to it stays the same", async () => {
    const message = pinMessage(login);
    await deliver(message);
    const [first, { hmac, salt } = {}] = [newestPin(service.inbox, login), await storedPin(login)];
    await deliver(nextOf(message));
    expect(service.inbox.entries()).toHaveLength(2);
    expect(newestPin(service.inbox, login)).toBe(first);
    expect(await storedPin(login)).toMatchObject({ hmac, salt, counted: 2, sent: 2, messages: 2 });
    expect(await counted("email")).toBe(2);
    expect(await isRight(first)).toBe(true);
  });

  test("D11: whose message fails and is sent when it comes again counts once", async () => {
    const message = pinMessage(phone);
    service.endpoints.failNext("Publish", "InternalError");
    const outcome = await deliver(message, pinMessage("nobody@example.com"));
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(await counted("sms")).toBe(1);
    setTime(Date.now() + 3 * minute);
    expect(await deliver(message, message)).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(1);
    expect(await counted("sms")).toBe(1);
    expect(await isRight(newestPin(service.inbox, phone), phone)).toBe(true);
  });

  test.each([
    "sends it",
    "counts it",
  ])("D11: whose worker fails as it %s leaves the message to the request after it", async (what) => {
    const message = pinMessage(phone);
    if (what === "sends it") service.endpoints.failNext("Publish", "InternalError");
    // Five reads, the hold, then the count.
    else network.lose(7, "refused");
    expect((await deliver(message)).batchItemFailures).toHaveLength(1);
    network.heal();
    expect(await storedPin(phone)).not.toHaveProperty("held_until");
    expect(await deliver(nextOf(message, 0.1), message)).toEqual(nothingFailed);
    expect([service.inbox.entries().length, await counted("sms")]).toEqual([1, 1]);
    expect(await isRight(newestPin(service.inbox, phone), phone)).toBe(true);
  });

  test("D11: that another worker counted and could not send meanwhile counts once", async () => {
    const message = pinMessage(phone);
    await deliver(message);
    await changePin(phone, { sent: 0, counted: 0, sent_for: "2026-05-01T00:00:00.000Z" });
    // The login, the pin, then the user.
    network.lose(3, "interrupted", () => changePin(phone, { counted: 1 }));
    expect(await deliver(message)).toEqual(nothingFailed);
    expect(network.heal()).toBe("GetItem");
    expect([service.inbox.entries().length, await counted("sms")]).toEqual([2, 1]);
  });

  test("D11: while another worker sends it is dropped, and not counted", async () => {
    const message = pinMessage(phone);
    await deliver(message);
    await updateIf(pinKey(await subjectOf("pin", phone), "PIN"), {
      set: { held_until: new Date(Date.now() + 1_000).toISOString(), sent: 0, counted: 0 },
      remove: ["sent_for"],
    });
    expect(await deliver(message)).toEqual(nothingFailed);
    expect([service.inbox.entries().length, await counted("sms")]).toEqual([1, 1]);
  });

  test("whose pin is spent is not answered again", async () => {
    const message = pinMessage(login);
    await deliver(message);
    expect(await isRight(newestPin(service.inbox, login))).toBe(true);
    await deliver(message, nextOf(message));
    expect(service.inbox.entries()).toHaveLength(1);
  });

  test.each([
    ["for an unknown login", "nobody@example.com", false],
    ["for the registration of a known one", login, true],
  ])("%s ends without a message and a pin, and is not counted", async (_, of, registers) => {
    expect(await deliver(pinMessage(of, { registers }))).toEqual(nothingFailed);
    expect(service.inbox.entries()).toEqual([]);
    expect(await counted("email")).toBe(0);
    expect(await storedPin(of, registers ? "REGISTRATION" : "PIN")).toBeUndefined();
  });
});

describe("D12: a message", () => {
  test.each([1, 5, 7, 10, 11])("that wants a pin of %s digits goes back, as no request asks for it", async (digits) => {
    const message = pinMessage(login);
    const outcome = await deliver({ ...message, pin: { ...message.pin, digits } });
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(service.inbox.entries()).toEqual([]);
  });

  test("D11: waits for no other of its call", async () => {
    const goOn = network.hold("UpdateItem");
    onTestFinished(goOn);
    const delivering = deliver(pinMessage(login), pinMessage(other));
    await vi.waitUntil(() => service.inbox.entries().length === 1, { timeout: 20_000 });
    goOn();
    expect(await delivering).toEqual(nothingFailed);
    expect(service.inbox.entries()).toHaveLength(2);
  });

  test("whose recipient SES refuses for good is taken: no fault, no dead letter", async () => {
    loggedLines.length = 0;
    service.endpoints.failNext("SendEmail", "InvalidParameterValue");
    expect(await deliver(pinMessage(other))).toEqual(nothingFailed);
    expect(service.inbox.entries()).toEqual([]);
    expect(loggedLines.join("")).toMatch(/"code":"recipient_refused"/);
    expect(loggedLines.join("")).not.toMatch(/"level":"error"|"emails"|marsh@/);
  });

  test("that is malformed goes back and blocks nobody", async () => {
    const outcome = await deliver({ login }, pinMessage(login));
    expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: "message-0" }] });
    expect(service.inbox.entries().map(({ to }) => to)).toEqual([login]);
  });
});

/** So many messages of the day are counted, of the stage and of a client. */
async function setCounted(n: number, ofClient: number, client: string): Promise<void> {
  const sk = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
  await updateIf({ pk: "LIMIT#sms", sk }, { set: { n, registrations: n } });
  await updateIf({ pk: `LIMIT#sms#${client}`, sk }, { set: { n: ofClient, registrations: 0 } });
}

test.each([
  ["a client's 20th message", 19, {}, {}, 36, "SmsRefused"],
  ["its 21st", 20, {}, {}, 24, "FurtherMessagesRefused"],
  ["its 21st, with a proof", 20, { isKnown: true }, { proved: 19 }, 40, "SmsRefused"],
  [
    "its 21st, with a proof, as its login's 21st of that kind",
    20,
    { isKnown: true },
    { proved: 20 },
    24,
    "FurtherMessagesRefused",
  ],
  ["a registration", 0, { registers: true }, {}, 8, "SmsRefused"],
])("D11: of 40 SMS a day %s is sent while fewer than its share are", async (_, ofClient, changes, figures, most, refused) => {
  vi.stubEnv("SMS_CEILINGS", '{"perDay":40}');
  const isRegistration = "registers" in changes;
  const of = isRegistration ? "+447400123498" : phone;
  const send = async (already: number) => {
    await forgetPinsOf(of);
    const message = pinMessage(of);
    await setCounted(already, ofClient, message.client);
    const pin = { ...message.pin, ...figures };
    expect(await deliver({ ...message, ...changes, pin })).toEqual(nothingFailed);
    return service.inbox.entries().length;
  };
  loggedLines.length = 0;
  expect(await send(most)).toBe(0);
  const reached = loggedLines.filter((line) => line.includes('"code":"sms_ceiling_reached"'));
  expect(reached.map((line) => JSON.parse(line).level)).toEqual(["error"]);
  expect(reached.join("")).not.toMatch(/\+44|@example/);
  expect(countedMetrics()).toEqual([{ [refused]: 1 }]);
  expect(await storedPin(of, isRegistration ? "REGISTRATION" : "PIN")).toBeUndefined();
  expect(await send(most - 1)).toBe(1);
  expect(await counted("sms")).toBe(most);
});

test("D11: messages that are held back count against no pin and no login: a proof still has its first sent, and a second one", async () => {
  vi.stubEnv("SMS_CEILINGS", '{"perDay":10}');
  const message = pinMessage(phone);
  await setCounted(9, 20, message.client);
  for (let request = 0; request < 5; request += 1) await deliver(nextOf(message, request));
  expect([service.inbox.entries().length, await storedPin(phone)]).toEqual([0, undefined]);
  await deliver({ ...nextOf(message, 4), isKnown: true });
  expect(await storedPin(phone)).toMatchObject({ sent: 1, messages: 1, proved: 1 });
  vi.stubEnv("SMS_CEILINGS", '{"perDay":20}');
  await deliver({ ...nextOf(message, 5), isKnown: true });
  expect(await storedPin(phone)).toMatchObject({ sent: 2, messages: 2, proved: 2 });
  expect(service.inbox.entries()).toHaveLength(2);
});

test("D11: a message above its share leaves the pin that was sent before as it is", async () => {
  const message = pinMessage(phone);
  await deliver(message);
  const pin = newestPin(service.inbox, phone);
  vi.stubEnv("SMS_CEILINGS", '{"perDay":1}');
  expect(await deliver(nextOf(message))).toEqual(nothingFailed);
  expect(service.inbox.entries()).toHaveLength(1);
  expect(await isRight(pin, phone)).toBe(true);
});

test("D16: in a table that was filled by import a registration makes no user of a number that another has", async () => {
  const imported = Array.from({ length: 9 }, (_, at) => userLine(1_000_000_000 + at, { email: `r-${at}@example.com` }));
  await store(imported);
  const ids = [];
  for (const login of ["new-1@example.com", "new-2@example.com"]) {
    const message = pinMessage(login, { registers: true });
    const idAfter = async (each: Message) => {
      await deliver(each);
      return (await storedPin(login, "REGISTRATION"))?.user_id;
    };
    const id = await idAfter(message);
    expect(await idAfter(nextOf(message))).toBe(id);
    expect(await isRight(newestPin(service.inbox, login), login)).toBe(true);
    expect(await findUserIdOfLogin(login)).toBe(id);
    ids.push(Number(id));
  }
  expect(ids.map((id) => Math.floor(id / 1_000_000))).toEqual([1_001, 1_001]);
  expect(ids[1]).toBe(Number(ids[0]) + 1);
});
