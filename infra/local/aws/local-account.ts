/** Account number of the local machine, as it stands in every local ARN. */
export const localAccount = "000000000000";
