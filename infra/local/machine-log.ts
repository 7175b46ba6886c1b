import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

/** A file that keeps the text of many starts. */
export interface MachineLog {
  /** Adds text. Does nothing once the file is closed, because a process that was just ended may still write. */
  write(text: string): void;
  close(): void;
}

const mostBytes = 10 * 1024 * 1024;

/** Opens the file for appending, mode 0600. Above 10 MB a new file begins, and the old one is kept as `.1`. */
export function openMachineLog(file: string): MachineLog {
  const open = () => openSync(file, "a", 0o600);
  let descriptor = open();
  let bytes = fstatSync(descriptor).size;
  let isOpen = true;
  return {
    write(text) {
      if (!isOpen) return;
      if (bytes > mostBytes && existsSync(file)) {
        closeSync(descriptor);
        renameSync(file, `${file}.1`);
        descriptor = open();
        bytes = 0;
      }
      bytes += writeSync(descriptor, text);
    },
    close() {
      isOpen = false;
      closeSync(descriptor);
    },
  };
}
