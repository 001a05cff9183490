import { ScrollBox } from '../ui/scroll-box.tsx';

/** A request or an answer as it went over the wire: headers, then the body; JSON is set out. */
export function MessageText({
  label,
  headers,
  body,
}: {
  label: string;
  headers: Record<string, string> | null;
  body: string | null;
}) {
  const head = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <ScrollBox label={label} className="mt-1 max-h-96 overflow-y-auto rounded-md bg-raised">
      <pre className="px-3 py-2 font-mono text-[0.82rem] leading-normal">
        {[...head, ...(head.length > 0 && body ? [''] : []), ...(body ? [setOut(body)] : [])].join('\n')}
      </pre>
    </ScrollBox>
  );
}

/** JSON with its members one below the other; what is none, or was cut, as it is. */
export function setOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
