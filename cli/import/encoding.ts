import { isUtf8 } from 'node:buffer';
import { StartError } from '../start-error.ts';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/**
 * A file as UTF-8 without a byte order mark, and a sentence where it was none: UTF-16, or GB18030 (with GBK and GB 2312 in it), as Excel
 * writes where Windows speaks Chinese. Throws StartError for what is none of them.
 */
export function utf8Of(file: Buffer): { text: Buffer; note: string | null } {
  if (file.subarray(0, 2).equals(UTF16_MARK)) return decoded(file, 'utf-16le', 'UTF-16');
  if (!isUtf8(file)) return decoded(file, 'gb18030', 'GB18030');
  return { text: file.subarray(0, 3).equals(UTF8_MARK) ? file.subarray(3) : file, note: null };
}

function decoded(file: Buffer, encoding: string, name: string): { text: Buffer; note: string } {
  try {
    const text = Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(file));
    return { text, note: `The file is not UTF-8: it was read as ${name}.` };
  } catch {
    throw new StartError('The file is neither UTF-8 nor GB18030 text.');
  }
}
