/** A file of samples that cannot be used; the message is a sentence for the person at the terminal. */
export class SampleFileError extends Error {
  override name = 'SampleFileError';
}
