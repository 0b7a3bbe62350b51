"""Who the user is: her rule, her rewards, her arms' means, and users who break the model."""
