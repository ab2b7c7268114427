/** The page until its views exist. */
export function App() {
  return (
    <main class="page">
      <h1>Image Bridge</h1>
      <p>The bridge is running.</p>
    </main>
  );
}
