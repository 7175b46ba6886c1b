/** What every SDK client of the local machine signs with; the local endpoints check no signature. */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };
