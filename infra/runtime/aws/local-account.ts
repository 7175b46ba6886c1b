/** Account number of the local machine, as used in every local ARN. */
export const localAccount = "000000000000";
