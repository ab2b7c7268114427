import './slider.css';

interface Props {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly disabled?: boolean;
  /** The value in words, where the number alone says little. */
  readonly valueText?: string;
  readonly onChange: (value: number) => void;
}

/** A value in a range. It never stands where a finger scrolls. */
export function Slider({ label, valueText, onChange, ...range }: Props) {
  return (
    <input
      {...range}
      class="slider"
      type="range"
      aria-label={label}
      aria-valuetext={valueText}
      onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
    />
  );
}
