'use client';

import { ErrorNotice } from '#components/shell/error-notice.tsx';

type Props = { error: Error & { digest?: string }; reset: () => void };

/** Shown instead of a page that could not be loaded. */
export default function ErrorPage({ error, reset }: Props) {
  return <ErrorNotice error={error} retry={reset} />;
}
