/** The share from which a meter warns. */
const HOT = 0.9;

/** Draws how much of a budget is used. The amounts stand beside the meter, so it is hidden from screen readers. */
export function Meter({ used, most }: { readonly used: number; readonly most: number }) {
  const share = most > 0 ? Math.min(1, used / most) : 1;
  return (
    <span class="use-meter" data-hot={share >= HOT} aria-hidden="true">
      <i style={{ inlineSize: `${share * 100}%` }} />
    </span>
  );
}
