import { Fragment } from 'preact';

/** Renders the name of a setting, which can wrap between its words. */
export function BreakableName({ name }: { readonly name: string }) {
  return (
    <>
      {name.split(/(?<=[._])/).map((part, index) => (
        <Fragment key={`${index}${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
