/** A checkbox list behind a button; every box is a repeated parameter of the form around it. */
export function Choices({ name, label, summary, apply, options, chosen }: Props) {
  return (
    <details className="relative" name="filter-menu">
      <summary className="btn" aria-label={`${label}: ${summary}`}>
        {summary}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </summary>
      <div className="menu">
        <fieldset className="grid max-h-80 w-max max-w-[85vw] grid-cols-2 gap-x-4 gap-y-1 overflow-auto sm:grid-cols-3">
          <legend className="sr-only">{label}</legend>
          {options.map((option) => (
            <label key={option.value} className="flex items-center gap-2 whitespace-nowrap">
              <input type="checkbox" name={name} value={option.value} defaultChecked={chosen.includes(option.value)} />
              {option.label}
            </label>
          ))}
        </fieldset>
        <button type="submit" className="btn btn-primary mt-3">
          {apply}
        </button>
      </div>
    </details>
  );
}

type Props = {
  name: string;
  label: string;
  summary: string;
  /** What the button says that applies the choice. */
  apply: string;
  options: { value: string; label: string }[];
  chosen: string[];
};
