/** The credentials of every SDK client of the local machine. The local endpoints check no signature. */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };
