/** The view and open item that an address names; Home if it names no view. */
export function routeOf(hash: string, views: object): [name: string, id: string | undefined] {
  const [, name = "", id] = hash.split("/");
  return [Object.hasOwn(views, name) ? name : "home", id && decode(id)];
}

/** An address that is not valid percent-encoding is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
