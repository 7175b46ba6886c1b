/** The form of a typed address: one `@`, nothing that needs quotes. */
const typedShape = /^[^\s\p{C}@"(),:;<>[\]\\]{1,64}@[^\s\p{C}@"(),:;<>[\]\\]{1,255}$/u;

/** Printable ASCII in parts between dots. E-mail services accept no other local part. */
const localPart = /^[!-\-/-~]+(\.[!-\-/-~]+)*$/;

/** At least two labels, the last of them not a number, because an IP address receives no mail. */
const domainName =
  /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * A typed e-mail address in its normal form: lower case, the domain in ASCII (IDNA); dots and plus tags are
 * significant. Undefined for an address to which no e-mail service delivers (D7).
 */
export function normalEmail(typed: string): string | undefined {
  if (!typedShape.test(typed)) return undefined;
  const [local = "", domain = ""] = typed.toLowerCase().split("@");
  const ascii = /[/?#%]/.test(domain) ? "" : (URL.parse(`http://${domain}`)?.hostname ?? "");
  return localPart.test(local) && domainName.test(ascii) ? `${local}@${ascii}` : undefined;
}
