import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

/** A file that text is added to, over many starts. */
export interface MachineLog {
  /** Adds text; once the file is closed, nothing: a process that was just ended may still have said something. */
  write(text: string): void;
  close(): void;
}

const mostBytes = 10 * 1024 * 1024;

/**
 * Opens the file, which only its owner may read, behind what it holds. Above 10 MB it begins again, and what it held is kept
 * beside it, under its name and `.1`, until the next time.
 */
export function openMachineLog(file: string, limit = mostBytes): MachineLog {
  const open = () => openSync(file, "a", 0o600);
  let descriptor = open();
  let bytes = fstatSync(descriptor).size;
  let isOpen = true;
  return {
    write(text) {
      if (!isOpen) return;
      if (bytes > limit && existsSync(file)) {
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
