import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/service/get-key-set.ts";
import { publishKey, handler as rotateSigningKey } from "../../../functions/workers/rotate-signing-key.ts";
import { getKeySet } from "../../../shared/contract/service.ts";
import { readSigningKeys } from "../../../shared/tokens/keys.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

useService();

const coordinate = "A".repeat(43);

describe("200", () => {
  test("D6: anyone reads the keys that tokens are verified with, and may keep them for 5 minutes, each with its public fields and no others", async () => {
    await rotateSigningKey();
    const { status, headers, body } = await call(handler, getKeySet);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("public, max-age=300");
    expect(Object.keys(body)).toEqual(["keys"]);
    for (const key of body.keys) {
      expect(key).toEqual({
        kty: "EC",
        crv: "P-256",
        x: expect.stringMatching(/^[\w-]{43}$/),
        y: expect.stringMatching(/^[\w-]{43}$/),
        kid: expect.stringMatching(/^[\w-]{1,64}$/),
        alg: "ES256",
        use: "sig",
      });
    }
    const signing = (await readSigningKeys()).map(({ jwk }) => jwk);
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toContain(signing[0]?.kid);
    for (const { d } of signing) expect(JSON.stringify(body)).not.toContain(d);
  });

  test("D6: a field that a stored key has beside the public ones does not leave, the private one least of all", async () => {
    const jwk = { kty: "EC", crv: "P-256", x: coordinate, y: coordinate, alg: "ES256", use: "sig" };
    const stored = { ...jwk, kid: "too-much", d: "private", key_ops: ["sign"] };
    await publishKey("too-much", stored, new Date());
    const { keys } = (await call(handler, getKeySet)).body;
    const shown = keys.find(({ kid }: { kid: string }) => kid === "too-much");
    expect(Object.keys(shown).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });
});
