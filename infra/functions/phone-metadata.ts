import { brotliCompressSync } from "node:zlib";
import metadata from "libphonenumber-js/max/metadata";

/**
 * The source of a module with the numbering plans of the library and the types of their numbers, compressed to a third. Bundles
 * load it instead of the library's; all checks of numbers share it (D7).
 */
export function phoneMetadataModule(): string {
  const text = brotliCompressSync(JSON.stringify(metadata)).toString("base64");
  return `import { brotliDecompressSync } from "node:zlib";
export default JSON.parse(brotliDecompressSync(Buffer.from("${text}", "base64")).toString());
`;
}
