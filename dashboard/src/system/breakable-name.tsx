import { Fragment } from 'preact';

/** Renders the name of a setting. The line can break between the words of the name. */
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
