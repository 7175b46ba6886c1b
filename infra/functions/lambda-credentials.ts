/** What a request to AWS is signed with. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/**
 * Takes the place of the SDK's own search for credentials in the bundles. Lambda hands every function its credentials in
 * the environment; looking for them in files, containers and single sign-on is 90 KB of code that never runs there.
 */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
    if (!accessKeyId || !secretAccessKey) throw new Error("The environment holds no AWS credentials");
    return { accessKeyId, secretAccessKey, sessionToken: process.env.AWS_SESSION_TOKEN };
  };
}
