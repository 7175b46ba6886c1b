/** What a read gives of each item, by paths such as `revision` or `record.state`; saves no read unit, only transfer and parsing. */
export function projectionOf(paths: readonly string[]) {
  const names = new Set(paths.flatMap((path) => path.split(".")));
  return {
    ProjectionExpression: paths.map((path) => path.replaceAll(/\w+/g, "#$&")).join(", "),
    ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [`#${name}`, name])),
  };
}
