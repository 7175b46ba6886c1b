/** The reason that a refusal of a name ends with which is no setting: it says what serves in its place. */
export const serves: Readonly<Record<string, string>> = {
  testLogins: "reviewers of an app store sign in with the password that an import gives their user",
};
