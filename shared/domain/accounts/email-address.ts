/** What an address may look like as it is typed: one `@`, nothing that needs quotes. */
const typedShape = /^[^\s\p{C}@"(),:;<>[\]\\]{1,64}@[^\s\p{C}@"(),:;<>[\]\\]{1,255}$/u;

/** Printable ASCII in parts between dots: e-mail services take no other local part. */
const localPart = /^[!-\-/-~]+(\.[!-\-/-~]+)*$/;

/** At least two labels, the last of which is no number: an IP address takes no mail. */
const domainName =
  /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * An e-mail address in its normal form: NFC, lower case, the domain as IDNA writes it in ASCII; dots and plus tags count.
 * Undefined for what no e-mail service delivers to (D7).
 */
export function normalEmail(typed: string): string | undefined {
  const composed = typed.normalize("NFC");
  if (!typedShape.test(composed)) return undefined;
  const [local = "", domain = ""] = composed.toLowerCase().split("@");
  const ascii = /[/?#%]/.test(domain) ? "" : (URL.parse(`http://${domain}`)?.hostname ?? "");
  return localPart.test(local) && domainName.test(ascii) ? `${local}@${ascii}` : undefined;
}
