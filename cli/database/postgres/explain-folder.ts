import { StartError } from '../../start-error.ts';

const explanations: Record<string, (file: string) => string> = {
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
  ENOTDIR: (file) => `${file} is not a folder. Set ROUNDTRIP_DATA to another folder.`,
  EEXIST: (file) => `${file} is not a folder. Set ROUNDTRIP_DATA to another folder.`,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
};

/**
 * Runs `work` on the data folder.
 * @throws StartError in place of what the file system throws when the folder is at fault.
 */
export async function explainFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', path = dataDir, syscall } = error as NodeJS.ErrnoException;
    // On a read-only file system Node's recursive mkdir says ENOENT.
    const explain = code === 'ENOENT' && syscall === 'mkdir' ? notWritable : explanations[code];
    if (!explain || error instanceof StartError) throw error;
    throw new StartError(explain(path), { cause: error });
  }
}

function notWritable(file: string): string {
  return `${file} cannot be read or written by this user. Correct its owner or mode, or set ROUNDTRIP_DATA to another folder.`;
}

function diskFull(file: string): string {
  return `The disk of ${file} is full. Free some space and start again.`;
}
