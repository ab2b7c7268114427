/** Everything that is asked of the bridge: the prompt first, the rest below it. */
export function MakePanel() {
  return <aside />;
}
