//! Rows and the columns that hold them, declared once.

/// Declares a row and the table that holds one column per field.
macro_rules! columns {
    (
        $(#[$table_doc:meta])* $table:ident;
        $(#[$row_doc:meta])* $row:ident {
            $( $(#[$field_doc:meta])* $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$row_doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        pub struct $row {
            $( $(#[$field_doc])* pub $field: $kind, )*
        }

        $(#[$table_doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
        pub struct $table {
            $( $(#[$field_doc])* pub $field: Vec<$kind>, )*
        }

        impl $table {
            /// Adds a row.
            pub(crate) fn push(&mut self, row: $row) {
                $( self.$field.push(row.$field); )*
            }

            /// The rows, put together again.
            pub fn rows(&self) -> impl Iterator<Item = $row> + '_ {
                (0..self.len()).map(|index| $row { $( $field: self.$field[index].clone(), )* })
            }

            /// How many rows there are.
            #[must_use]
            pub fn len(&self) -> usize {
                [$( self.$field.len() ),*][0]
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }
    };
}

pub(super) use columns;
