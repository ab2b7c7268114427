import './switch.css';

interface Props {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly disabled?: boolean;
}

/** On or off, at once. The visible label stands beside it; `label` names it for assistive technology. */
export function Switch({ label, on, onChange, disabled }: Props) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!on)}
    />
  );
}
