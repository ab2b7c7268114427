import './fan-out.css';

/** One request and the calls that it becomes, up to four of them. */
export function FanOut({ calls }: { readonly calls: number }) {
  const count = Math.min(Math.max(calls, 1), 4);
  const step = 33 / Math.max(count - 1, 1);
  const rows = Array.from({ length: count }, (_, row) => (count === 1 ? 20 : 3.5 + row * step));
  const [first = 20, last = 20] = [rows[0], rows.at(-1)];
  return (
    <svg class="fan-out" viewBox="0 0 40 40" aria-hidden="true">
      <path d={`M6 20h8M14 ${first}V${last}${rows.map((y) => `M14 ${y}h11`).join('')}`} />
      <circle cx="4" cy="20" r="2.5" />
      {rows.map((y) => (
        <rect key={y} x="25.6" y={y - 3.4} width="10.8" height="6.8" rx="1.5" />
      ))}
    </svg>
  );
}
