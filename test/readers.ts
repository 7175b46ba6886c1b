/** Tests that read files by their paths: if one of these files changes, what is named beside it may behave in another way. */
export const readers: readonly (readonly [files: RegExp, readers: readonly string[]])[] = [
  [/^(infra\/[^/]+\.ts|infra\/(constructs|functions|stages)\/.*|cdk\.json)$/, ["test/infra/stack.ts"]],
  [/^infra\/(local|tools)\//, ["test/support/service/local-machine.ts"]],
  [/^events\//, ["test/support/requests/every-operation.ts"]],
];
