'use client';

import { ErrorNotice } from '#components/shell/error-notice.tsx';

type Props = { error: Error & { digest?: string }; reset: () => void };

/** Stands in a page's place when it could not be made. */
export default function ErrorPage({ error, reset }: Props) {
  return <ErrorNotice error={error} retry={reset} />;
}
