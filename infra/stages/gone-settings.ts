/** The reason that a refusal of a name ends with which is no setting: it says what serves in its place. */
export const serves: Readonly<Record<string, string>> = {
  probeLogin: "the alarms of a canary watch the first tenth of a new version's calls",
  smsMonthlySpendLimitDollars: "the account's limit of SMS is set once, as the chapter SMS of infra/README.md says",
  testLogins: "reviewers of an app store sign in with the password that an import gives their user",
  webhooks:
    "a rule with an API destination on the outbound bus posts events to an address (shared/contract/EVENTS.md, Post events to an address)",
};
