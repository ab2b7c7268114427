import './slider.css';

interface Props {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly disabled?: boolean;
  /** The value in words, for values whose number alone is unclear. */
  readonly valueText?: string;
  readonly onChange: (value: number) => void;
}

/** Renders a slider. Do not place it where a finger scrolls the page. */
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
