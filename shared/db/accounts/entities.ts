import { logins } from "./logins.ts";
import { pins } from "./pins.ts";
import { profiles } from "./profiles.ts";
import { publicKeys } from "./public-keys.ts";
import { resetTokens } from "./reset-tokens.ts";
import { sessions } from "./sessions.ts";
import { smsCounts } from "./sms-ceilings.ts";
import { throttles } from "./throttles.ts";
import { users } from "./users.ts";

/** Every kind of item that is about accounts. */
export const accountEntities = [
  users,
  logins,
  pins,
  resetTokens,
  profiles,
  sessions,
  throttles,
  smsCounts,
  publicKeys,
] as const;
