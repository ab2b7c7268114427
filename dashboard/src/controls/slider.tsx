import './slider.css';

interface Props {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly disabled?: boolean;
  readonly onChange: (value: number) => void;
}

/** A value in a range. It never stands where a finger scrolls. */
export function Slider({ label, onChange, ...range }: Props) {
  return (
    <input
      {...range}
      class="slider"
      type="range"
      aria-label={label}
      onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
    />
  );
}
