"""Display: plots, tables, text and progress bars, independent of their content."""
