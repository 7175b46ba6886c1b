import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const mostBytes = 10 * 1024 * 1024;

/**
 * Opens a file that keeps the text of many starts, mode 0600, and returns what adds text to it. Above 10 MB a new file begins, and
 * the old one is kept as `.1`. The file stays open to the end of this process: a function that was just ended may still write.
 */
export function openMachineLog(file: string): (text: string) => void {
  const open = () => openSync(file, "a", 0o600);
  let descriptor = open();
  let bytes = fstatSync(descriptor).size;
  return (text) => {
    if (bytes > mostBytes && existsSync(file)) {
      closeSync(descriptor);
      renameSync(file, `${file}.1`);
      descriptor = open();
      bytes = 0;
    }
    bytes += writeSync(descriptor, text);
  };
}
